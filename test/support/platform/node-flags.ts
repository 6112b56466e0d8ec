/**
 * How Node is told to run the service's programs, in scripts, images and tests alike. `__proto__` is out of reach; the
 * young generation of the heap is collected by the thread that fills it, because helpers on a few cores cost more than
 * they take off it.
 */
export const nodeFlags = ['--disable-proto=throw', '--no-parallel-scavenge'] as const
