/** `2026-11-21 22:33`, in the time zone of the machine. */
export function toLocalTime(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())} ${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`;
}

/** `22:33:31`. */
export function toLocalClock(at: number): string {
  const date = new Date(at);
  return `${padTwo(date.getHours())}:${padTwo(date.getMinutes())}:${padTwo(date.getSeconds())}`;
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}
