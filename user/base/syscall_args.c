// SPDX-License-Identifier: GPL-2.0-only
/* Which arguments of system calls are sizes, offsets and flags. */
#include "base/syscall_args.h"

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#define ROW(name, size, offset, flags, unit, names)                                                                    \
	{                                                                                                              \
		SYS_##name, size, offset, flags, unit, names                                                           \
	}

/* Numbers of this machine's native ABI. Names as in the manual pages of section 2. */
static const struct scope_syscall_args rows[] = {
	ROW(read, 3, 0, 0, "bytes", "fd,buf,count"),
	ROW(write, 3, 0, 0, "bytes", "fd,buf,count"),
	ROW(pread64, 3, 4, 0, "bytes", "fd,buf,count,offset"),
	ROW(pwrite64, 3, 4, 0, "bytes", "fd,buf,count,offset"),
	ROW(readv, 3, 0, 0, "pieces", "fd,iov,iovcnt"),
	ROW(writev, 3, 0, 0, "pieces", "fd,iov,iovcnt"),
	ROW(preadv, 3, 4, 0, "pieces", "fd,iov,iovcnt,offset"),
	ROW(pwritev, 3, 4, 0, "pieces", "fd,iov,iovcnt,offset"),
	ROW(recvfrom, 3, 0, 4, "bytes", "sockfd,buf,len,flags"),
	ROW(sendto, 3, 0, 4, "bytes", "sockfd,buf,len,flags"),
	ROW(recvmsg, 0, 0, 3, NULL, "sockfd,msg,flags"),
	ROW(sendmsg, 0, 0, 3, NULL, "sockfd,msg,flags"),
	ROW(recvmmsg, 3, 0, 4, "messages", "sockfd,msgvec,vlen,flags"),
	ROW(sendmmsg, 3, 0, 4, "messages", "sockfd,msgvec,vlen,flags"),
	ROW(accept4, 0, 0, 4, NULL, "sockfd,addr,addrlen,flags"),
	ROW(openat, 0, 0, 3, NULL, "dirfd,pathname,flags,mode"),
	ROW(sendfile, 4, 0, 0, "bytes", "out_fd,in_fd,offset,count"),
	ROW(splice, 5, 0, 6, "bytes", "fd_in,off_in,fd_out,off_out,len,flags"),
	ROW(lseek, 0, 2, 0, NULL, "fd,offset"),
	ROW(fallocate, 4, 3, 2, "bytes", "fd,mode,offset,len"),
	ROW(sync_file_range, 3, 2, 4, "bytes", "fd,offset,nbytes,flags"),
	ROW(getdents64, 3, 0, 0, "bytes", "fd,dirp,count"),
	ROW(mmap, 2, 0, 4, "bytes", "addr,length,prot,flags"),
	ROW(munmap, 2, 0, 0, "bytes", "addr,length"),
	ROW(madvise, 2, 0, 3, "bytes", "addr,length,advice"),
	ROW(epoll_pwait, 3, 0, 0, "events", "epfd,events,maxevents,timeout"),
	ROW(ppoll, 2, 0, 0, "descriptors", "fds,nfds"),
#ifdef SYS_copy_file_range
	ROW(copy_file_range, 5, 0, 6, "bytes", "fd_in,off_in,fd_out,off_out,len,flags"),
#endif
#ifdef SYS_epoll_wait
	ROW(open, 0, 0, 2, NULL, "pathname,flags,mode"),
	ROW(epoll_wait, 3, 0, 0, "events", "epfd,events,maxevents,timeout"),
	ROW(poll, 2, 0, 0, "descriptors", "fds,nfds,timeout"),
	ROW(select, 1, 0, 0, "descriptors", "nfds"),
#endif
#ifdef SYS_io_uring_enter
	ROW(io_uring_enter, 2, 0, 4, "submissions", "fd,to_submit,min_complete,flags"),
#endif
};

const struct scope_syscall_args *scope_syscall_args_of(uint16_t nr)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].nr == nr)
			return &rows[i];
	return NULL;
}

uint8_t scope_syscall_args_count(const struct scope_syscall_args *args)
{
	uint8_t most = args->size > args->offset ? args->size : args->offset;

	return most > args->flags ? most : args->flags;
}

uint8_t scope_syscall_args_place(const struct scope_syscall_args *args, const char *name, unsigned length)
{
	uint8_t place = 1;

	for (const char *one = args->names; length; place++) {
		const size_t bytes = strcspn(one, ",");

		if (bytes == length && !memcmp(one, name, length))
			return place;
		if (!one[bytes])
			break;
		one += bytes + 1;
	}
	return 0;
}
