/* SPDX-License-Identifier: Apache-2.0 */
#include "model/known_labels.h"

/* The 80 classes of COCO detection models, in the order of their outputs. */
static const char *const coco[] = {
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard",
    "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli",
    "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed", "dining table", "toilet",
    "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster", "sink",
    "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
};

/* The default model's: SSD MobileNetV2 of @mediapipe/objectron, trained on Open Images; 0 is the background. */
static const char *const objectron[] = {
    "???", "Bicycle", "Boot", "Laptop", "Person", "Chair", "Cattle", "Desk", "Cat", "Computer mouse",
    "Computer monitor", "Box", "Mug", "Coffee cup", "Stationary bicycle", "Table", "Bottle", "High heels", "Vehicle",
    "Footwear", "Dog", "Book", "Camera", "Car",
};

static const char *const face[] = {"face"};

const struct weir_known_labels weir_known_labels[] = {
    {"coco", coco, sizeof coco / sizeof *coco},
    {"objectron", objectron, sizeof objectron / sizeof *objectron},
    {"face", face, sizeof face / sizeof *face},
    {"none", NULL, 0},
};
const size_t weir_known_labels_count = sizeof weir_known_labels / sizeof *weir_known_labels;
