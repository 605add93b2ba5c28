# Runs the user unit under a real manager, systemd --user, and says what came of it, a "name: value" a line.
#
#     under_systemd.sh PYTHON CHECKOUT
#
# Nothing of the host is touched. The manager lives in namespaces and a control group of its own, sees / read-only,
# has a /run of its own, and knows no units but those that are put there. (A system manager would not do: what
# it runs at boot cleans /tmp, whoever that belongs to.) Exit status 90 and above: this place does not allow it.
set -u
python=$1 checkout=$2

if [ "${3-}" != inside ]; then
    tree=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
    group=$tree/spiderd-test-$$
    { [ -n "$tree" ] && mkdir "$group" && echo $$ >"$group/cgroup.procs"; } 2>/dev/null || exit 90
    timeout -k 5 150 unshare --mount --pid --fork --kill-child --cgroup --mount-proc \
        sh "$0" "$python" "$checkout" inside
    code=$?
    echo $$ >"$tree/cgroup.procs"
    find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null
    exit $code
fi

mount --make-rprivate / && mount -t tmpfs tmpfs /run && mount -o remount,bind,ro / || exit 91
touch /etc/spiderd-must-fail 2>/dev/null && exit 92
mount -t tmpfs tmpfs /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 93

export HOME=/run/home XDG_RUNTIME_DIR=/run/user SYSTEMD_UNIT_PATH=/run/units LANG=C.UTF-8 PYTHONPATH="$checkout"
unset DBUS_SESSION_BUS_ADDRESS XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME SPIDERD_CONFIG SPIDERD_DATA_DIR
mkdir -p "$HOME" /run/units /run/systemd/system
mkdir -m 700 "$XDG_RUNTIME_DIR"
cd /run || exit 94
for target in default basic shutdown sockets; do
    printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' $target >/run/units/$target.target
done
"$python" -m spiderd service install --user >/dev/null || exit 1
cp "$HOME"/.config/systemd/user/spiderd.* /run/units/

/lib/systemd/systemd --user --unit=default.target --log-target=console --log-level=warning >/run/manager.log 2>&1 &
manager=$!
tries=0
until [ -S "$XDG_RUNTIME_DIR/systemd/private" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] && kill -0 $manager 2>/dev/null || { cat /run/manager.log >&2; exit 95; }
    sleep 0.1
done

ctl() { timeout 20 systemctl --user --no-pager "$@" 2>/dev/null; }
state() { ctl show spiderd -p "$1" --value; }
until_is() { # property value: waits until it is so
    tries=0
    until [ "$(state "$1")" = "$2" ] || [ $tries -ge 200 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}

ctl start spiderd
echo "start: $?"
echo "answers when it is ready: $("$python" -m spiderd status >/dev/null 2>&1; echo $?)"
echo "state: $(state ActiveState)"
echo "status: $(state StatusText)"
ctl reload spiderd
echo "reload: $?"
mkdir -p "$HOME/.config/spiderd"
printf '[crawl]\nthreads = 0\n' >"$HOME/.config/spiderd/config.toml"
ctl reload spiderd
echo "reload of a bad file: $?"
echo "state after it: $(state ActiveState)"
rm "$HOME/.config/spiderd/config.toml"
ctl stop spiderd
echo "stop: $?"
echo "result: $(state Result) $(state ExecMainStatus)"

printf '[crawl]\nthreads = 0\n' >"$HOME/.config/spiderd/config.toml"
ctl start spiderd
echo "start with a bad file: $?"
until_is ActiveState failed
echo "result of it: $(state ExecMainStatus), started again $(state NRestarts) times"
rm "$HOME/.config/spiderd/config.toml"

mkdir /run/units/spiderd.service.d
printf '[Service]\nWatchdogSec=3\nRestartSec=0\nTimeoutAbortSec=1\n' >/run/units/spiderd.service.d/quick.conf
ctl daemon-reload
ctl reset-failed spiderd
ctl start spiderd
pid=$(state MainPID)
sleep 6.5 # more than two times of the watchdog
echo "alive after two times of the watchdog: $([ "$pid" = "$(state MainPID)" ] && echo yes)"
kill -STOP "$pid"
until_is NRestarts 1
until_is ActiveState active
echo "stalled: started again $(state NRestarts) time, $(state ActiveState)"
ctl stop spiderd

ctl start spiderd.socket
echo "socket: $?"
echo "the first client starts it: $("$python" -m spiderd status >/dev/null 2>&1; echo $?)"
echo "triggered by: $(state TriggeredBy)"
ctl stop spiderd.socket spiderd
kill $manager
