/* See peers_library.c. */
#ifndef PEERS_LIBRARY_H
#define PEERS_LIBRARY_H

/* Create four threads, one after the other, and print all that the library had. */
void peers_library_more(void);

#endif
