# A first program: it sorts and selects on the sim. g++ and Boost.Context are all it needs, and 20 s of one core.
g++ -std=c++20 -O1 -I scan/include -I compact/include -I sort/include apps/examples/sort_and_select.cpp \
  scan/src/status.cpp scan/src/no_cuda.cpp scan/src/sim_*.cpp -lboost_context -pthread -o sort_and_select
./sort_and_select
