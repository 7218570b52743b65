const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Whether a program may be given this as the name of a conversation that it had: as an argument it is no option. */
export function isSessionId(name: string): boolean {
  return SESSION_ID.test(name);
}
