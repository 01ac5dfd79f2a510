// Included in front of every source that the race checker watches: calls of the memory functions become calls of the
// checker's, which the compiler does not instrument by itself.
#pragma redefine_extname memcpy upsweep_race_memcpy
#pragma redefine_extname memmove upsweep_race_memmove
#pragma redefine_extname memset upsweep_race_memset
