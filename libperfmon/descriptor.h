/* Opening a file in a program that has used up its descriptors. */
#ifndef PM_DESCRIPTOR_H
#define PM_DESCRIPTOR_H

/*
 * openat(2) relative to the working directory. Where the soft limit on descriptors is reached and
 * the hard one is higher, the limit is raised for the moment of this call: the program, which did
 * not ask for the descriptor, keeps what it may open. Returns it or a negative error number.
 */
long pm_descriptor_open(const char *path, int flags, int mode);

#endif
