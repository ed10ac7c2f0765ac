# SPDX-License-Identifier: Apache-2.0
"""weir check-config: what it says of a file, and what it prints of the table of settings."""

import json
import re
import subprocess

import weirlib


def printed(*arguments, **options):
    code, stdout, stderr = weirlib.run("check-config", *arguments, **options)
    assert code == 0, stderr
    return stdout


def test_a_right_file(tmp_path):
    config = tmp_path / "weir.yaml"
    config.write_text("cameras:\n  front: http://127.0.0.1:9/video\n  yard: {url: http://127.0.0.1:9/yard, policy: every}\n")
    assert printed("-c", config) == f"{config}: ok, 2 cameras\n"
    code, _, stderr = weirlib.run("check-config", "-c", tmp_path / "nothing.yaml")
    assert code == 1 and "nothing.yaml" in stderr and "No such file" in stderr


def test_secrets_come_from_outside_and_stay_inside(tmp_path):
    config = tmp_path / "weir.yaml"
    config.write_text("cameras:\n"
                      "  front: {url: http://127.0.0.1:9/, user_name: u, password: '${CAMERA_PASSWORD}'}\n"
                      "  yard: http://u:s3cret@127.0.0.1:9/yard\n")
    output = printed("-c", config, "--print", env={"CAMERA_PASSWORD": "s3cret"})
    assert "s3cret" not in output
    assert 'password: "***"' in output and "http://u:***@127.0.0.1:9/yard" in output
    code, stdout, stderr = weirlib.run("check-config", "-c", config)
    assert code == 1 and "weir.yaml:2:" in stderr and "CAMERA_PASSWORD is not set" in stderr
    assert "s3cret" not in stdout + stderr


def test_schema_help_and_defaults_name_the_same_settings():
    schema = json.loads(printed("--schema"))
    keys = set(re.findall(r"^(\w+): ", printed("--print"), re.M))
    assert keys == set(schema["properties"]) - {"cameras"}
    assert schema["additionalProperties"] is False
    assert schema["properties"]["policy"]["enum"] == ["auto", "newest", "every", "fifo-drop-newest", "fifo-drop-oldest"]
    options = set(re.findall(r"^  --([\w-]+)", weirlib.run("run", "--help")[1], re.M))
    assert {key.replace("_", "-") for key in keys} <= options


def test_output_that_can_not_be_written():
    command = f"'{weirlib.binary()}' check-config --print > /dev/full"
    result = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE)
    assert result.returncode == 1 and b"No space left" in result.stderr
