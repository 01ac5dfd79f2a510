# A first program: it sorts, selects and sums on the sim. g++ and Boost.Context are all it needs, and 20 s of one core.
g++ -std=c++20 -O1 -I scan/include -I compact/include -I sort/include apps/examples/sort_select_scan.cpp \
  scan/src/status.cpp scan/src/no_cuda.cpp scan/src/sim_*.cpp -lboost_context -pthread -o sort_select_scan
./sort_select_scan
