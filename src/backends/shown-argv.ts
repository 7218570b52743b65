const SECRET_FLAG = /^--?(?:[a-z]+[-_])*(?:api[-_]?key|token|secret|password|auth)$/i;
const SECRET_PAIR = /^(--?(?:[a-z]+[-_])*(?:api[-_]?key|token|secret|password|auth)=).+$/i;

/** A command line for logs: the prompt and what looks like a secret are left out. */
export function toShownArgv(command: string, args: readonly string[], prompt: string): readonly string[] {
  const shown = args.map((arg, index) => {
    if (prompt !== '' && arg === prompt) return '<prompt>';
    if (SECRET_FLAG.test(args[index - 1] ?? '')) return '<secret>';
    if (prompt.length > 20 && arg.endsWith(prompt)) return `${arg.slice(0, -prompt.length)}<prompt>`;
    return arg.replace(SECRET_PAIR, '$1<secret>');
  });
  return [command, ...shown];
}
