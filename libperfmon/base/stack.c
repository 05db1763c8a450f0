/* Switch stacks. Debuggers and unwinders find their way back through the frame pointer. */
#include "config.h"

#include "libperfmon/base/stack.h"

#include "libperfmon/base/memory.h"
#include "libperfmon/base/state.h"
#include "libperfmon/base/valgrind.h"

#include <stddef.h>
#include <stdint.h>

__asm__(".pushsection .text.pm_stack_call,\"ax\",%progbits\n"
	".globl pm_stack_call\n"
	".hidden pm_stack_call\n"
	".type pm_stack_call,%function\n"
	"pm_stack_call:\n"
	".cfi_startproc\n"
#if defined __x86_64__
	"	pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"	movq %rdx, %rsp\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	call *%rax\n"
	"	leave\n"
	".cfi_def_cfa %rsp, 8\n"
	"	ret\n"
#elif defined __aarch64__
	"	stp x29, x30, [sp, #-16]!\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset x29, -16\n"
	".cfi_offset x30, -8\n"
	"	mov x29, sp\n"
	".cfi_def_cfa_register x29\n"
	"	mov x9, x0\n"
	"	mov x0, x1\n"
	"	mov sp, x2\n"
	"	blr x9\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], #16\n"
	".cfi_def_cfa sp, 0\n"
	"	ret\n"
#else
#error "libperfmon: add the switch of stacks of this architecture to stack.c"
#endif
	".cfi_endproc\n"
	".size pm_stack_call, . - pm_stack_call\n"
	".popsection\n");

/* End of the first thread's stack, where the kernel puts arguments and environment. The stack grows
 * to FIRST_SIZE by default. */
extern void *__libc_stack_end __attribute__((weak));
#define FIRST_SIZE (8u << 20)

/* Depth in a thread's stack at which even the smallest stack of pthread_create still has room for
 * the hungriest hook. */
#define THREAD_SIZE 4096u

#define OWN_SIZE (24 * 1024)

/* Life cycle: mapped when first needed; one thread at a time. */
PM_NEAR static struct {
	char *memory;
	uint32_t locked;
} own = { NULL, 0 };

bool pm_stack_has_room(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t first = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;

	return first - here < FIRST_SIZE || pm_self.stack - here < THREAD_SIZE;
}

void pm_stack_run(void (*f)(void *argument), void *argument)
{
	if (pm_stack_has_room() || __atomic_exchange_n(&own.locked, 1, __ATOMIC_ACQUIRE)) {
		f(argument);
		return;
	}
	if (!own.memory && (own.memory = pm_memory_map(OWN_SIZE)) != NULL)
		pm_valgrind_stack(own.memory, OWN_SIZE);
	if (own.memory)
		pm_stack_call(f, argument, own.memory + OWN_SIZE);
	else
		f(argument);
	__atomic_store_n(&own.locked, 0, __ATOMIC_RELEASE);
}

void pm_stack_reset(void)
{
	own.locked = 0;
}
