/** Who a program is inside: never the superuser. */
export function toInnerUser(): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = [process.getuid?.() ?? 1000, process.getgid?.() ?? 1000];
  return { uid: uid === 0 ? 1000 : uid, gid: gid === 0 ? 1000 : gid };
}
