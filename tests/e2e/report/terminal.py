"""terminal.py ACTION [VARIABLE=VALUE...] -- ARG...: run `perfmon top ARG...` on a terminal of its own, do ACTION when it has
shown something (q: press that; none: nothing; stop: stop and continue it, then q; else a signal's name), and say how it ended
and what it did to the terminal."""
import fcntl, os, pty, re, select, signal, sys, termios, time

split = sys.argv.index("--")
action, variables, arguments = sys.argv[1], sys.argv[2:split], sys.argv[split + 1:]
leader, follower = pty.openpty()
before = termios.tcgetattr(follower)
end = time.time() + 20
told, tell = os.pipe()


def shell():
    """As an interactive shell does: a session, and the program in a process group in the foreground."""
    os.setsid()
    fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(follower, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        for fd in (0, 1, 2):
            os.dup2(follower, fd)
        os.environ.update(v.split("=", 1) for v in ["TERM=xterm"] + variables)
        os.execv(os.environ["PERFMON"], [os.environ["PERFMON"], "top"] + arguments)
    os.write(tell, b"%d\n" % pid)
    status = os.waitpid(pid, 0)[1]
    os.write(tell, b"%d\n" % status)
    time.sleep(30)


session = os.fork()
if session == 0:
    shell()
    os._exit(0)
seen = b""


def more():
    global seen
    while select.select([leader], [], [], 0.05)[0]:
        seen += os.read(leader, 65536)


def wait_for(condition):
    while time.time() < end:
        more()
        if condition():
            return True
    return False


pid = int(os.read(told, 64))
stopped = False
if wait_for(lambda: re.search(rb"Job 1|has not answered", seen)):
    if action == "q":
        os.write(leader, b"q")
    elif action == "stop":
        os.kill(pid, signal.SIGTSTP)
        stopped = wait_for(lambda: re.search(r"\) T ", open("/proc/%d/stat" % pid).read())) and termios.tcgetattr(follower) == before
        more()
        seen = b""
        os.kill(pid, signal.SIGCONT)
        wait_for(lambda: b"Job 1" in seen)
        os.write(leader, b"q")
    elif action != "none":
        os.kill(pid, getattr(signal, action))
status = None
if wait_for(lambda: select.select([told], [], [], 0)[0]):
    status = int(os.read(told, 64))
else:
    os.kill(pid, signal.SIGKILL)
more()
if status is None:
    how = "hangs"
elif os.WIFSIGNALED(status):
    how = "signal %d" % os.WTERMSIG(status)
else:
    how = "status %d" % os.WEXITSTATUS(status)
print(how, "entered" if b"\033[?1049h" in seen else "stayed", "left" if b"\033[?1049l" in seen else "kept",
      "restored" if termios.tcgetattr(follower) == before else "changed", "stopped" if stopped else "-", sep=", ")
os.kill(session, signal.SIGKILL)
