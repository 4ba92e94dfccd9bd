/**
 * Runs as the first process inside fresh namespaces, and builds what the program will see: system programs and libraries
 * to read, an empty folder to work in, nothing else. Then it gives up every privilege and becomes the program. Any step
 * that fails ends it before the word `ready`, so a program never runs half isolated.
 *
 * Arguments: size of the folder, user to become (or `-` where that is done already), name of the code file (or `-`),
 * network (`none` or `host`), path of Node, options of `prlimit`, then the program and its arguments. The code comes on
 * descriptor 3, `ready` goes to 4.
 */
export const setupScript = `
set -eu
size=$1 user=$2 file=$3 network=$4 node=$5 limits=$6
shift 6
echo 1000 > /proc/self/oom_score_adj

# Nothing the program needs lies in /sys, so it can make room for the new root.
root=/sys
mount -t tmpfs -o size=1m,nr_inodes=1k,mode=755,nosuid,nodev tmpfs $root
cd $root
mkdir usr usr/local etc proc dev work runtime old

show() {
  mkdir -p ".$1"
  mount --rbind "$1" ".$1"
  mount -o remount,bind,ro,nosuid,nodev ".$1"
}
show_file() {
  touch "$2"
  mount --bind "$1" "$2"
  mount -o remount,bind,ro,nosuid "$2"
}
for dir in bin sbin lib lib32 lib64 libexec share local/bin local/lib; do
  if [ -d "/usr/$dir" ]; then show "/usr/$dir"; fi
done
for dir in bin sbin lib lib32 lib64; do
  if [ -L "/$dir" ]; then cp -P "/$dir" "$dir"; elif [ -d "/$dir" ]; then show "/$dir"; fi
done
show_file "$node" runtime/node
if [ -d /etc/alternatives ]; then show /etc/alternatives; fi
if [ -f /etc/ld.so.cache ]; then show_file /etc/ld.so.cache etc/ld.so.cache; fi
if [ "$network" = host ]; then
  for name in resolv.conf hosts nsswitch.conf; do
    if [ -f "/etc/$name" ]; then show_file "/etc/$name" "etc/$name"; fi
  done
  if [ -d /etc/ssl ]; then show /etc/ssl; fi
fi
echo "sandbox:x:$(id -u):$(id -g)::/work:/bin/sh" > etc/passwd
for name in null zero full random urandom; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd
ln -s /work dev/shm
# A container may forbid a second /proc. Programs run without it, only poorer.
mount -t proc -o nosuid,nodev,noexec proc proc 2> /dev/null || true
if [ "$user" = - ]; then echo 0 > proc/sys/user/max_user_namespaces 2> /dev/null || true; fi

mount -t tmpfs -o "size=$size,nr_inodes=4k,mode=700,nosuid,nodev" tmpfs work
if [ "$file" != - ]; then cat <&3 > "work/$file"; fi
exec 3<&-
if [ "$user" != - ]; then chown -R "$user:$user" work; fi

pivot_root . old
umount -l /old
rmdir /old
mount -o remount,bind,ro,nosuid,nodev /
cd /work

# A shell stays above the program, to reap what it leaves behind.
drop="--no-new-privs --bounding-set=-all --inh-caps=-all"
if [ "$user" != - ]; then drop="$drop --reuid=$user --regid=$user --clear-groups"; fi
echo ready >&4
exec 4>&-
exec env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/work TMPDIR=/work LANG=C.UTF-8 \\
  nice -n 10 prlimit --core=0 --nofile=256 $limits -- setpriv $drop -- sh -c '"$@"; exit $?' sh "$@"
`;
