// Macros that widespread headers define, made so that any use of the word is an error. They come after the headers
// of the standard library and CUDA, as they do in programs, where those headers would not survive them.
#pragma once

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cuda/std/tuple>
#endif
#if defined(__GNUC__)
#include <bits/stdc++.h>
#endif

#define a_macro_of_the_program 1.2.3

// As functions, in windows.h and old C.
#define min(a, b) a_macro_of_the_program
#define max(a, b) a_macro_of_the_program
// windows.h
#define small a_macro_of_the_program
#define near a_macro_of_the_program
#define far a_macro_of_the_program
#define interface a_macro_of_the_program
#define IN a_macro_of_the_program
#define OUT a_macro_of_the_program
#define ERROR a_macro_of_the_program
#define CALLBACK a_macro_of_the_program
#define DELETE a_macro_of_the_program
#define IGNORE a_macro_of_the_program
#define OPTIONAL a_macro_of_the_program
#define STRICT a_macro_of_the_program
#define VOID a_macro_of_the_program
#define CONST a_macro_of_the_program
#define TRUE a_macro_of_the_program
#define FALSE a_macro_of_the_program
#define NO_ERROR a_macro_of_the_program
#define DIFFERENCE a_macro_of_the_program
// Qt
#define signals a_macro_of_the_program
#define slots a_macro_of_the_program
#define emit a_macro_of_the_program
#define foreach a_macro_of_the_program
#define forever a_macro_of_the_program
// X11
#define Status a_macro_of_the_program
#define Success a_macro_of_the_program
#define None a_macro_of_the_program
#define Bool a_macro_of_the_program
#define True a_macro_of_the_program
#define False a_macro_of_the_program
#define Always a_macro_of_the_program
#define Above a_macro_of_the_program
#define Below a_macro_of_the_program
#define Complex a_macro_of_the_program
#define Convex a_macro_of_the_program
// sys/sysmacros.h, complex.h, termios.h, Arduino, ctype of BSD
#define major a_macro_of_the_program
#define minor a_macro_of_the_program
#define makedev a_macro_of_the_program
#define I a_macro_of_the_program
#define B0 a_macro_of_the_program
#define B1 a_macro_of_the_program
#define _A a_macro_of_the_program
#define _B a_macro_of_the_program
#define _N a_macro_of_the_program
#define _X a_macro_of_the_program
#define F(x) a_macro_of_the_program
#define bit(x) a_macro_of_the_program
#define check(x) a_macro_of_the_program
#define verify(x) a_macro_of_the_program
#define require(x) a_macro_of_the_program
#define likely(x) a_macro_of_the_program
#define unlikely(x) a_macro_of_the_program
