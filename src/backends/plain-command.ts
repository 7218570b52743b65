/**
 * Whether a command line is nothing but words and spaces: allow-lists of CLIs have a syntax of their own (commas, brackets, stars, quotes),
 * and nothing of a command may be taken for it.
 */
export function isPlainCommand(command: string): boolean {
  return command.length <= 200 && /^[\w./@%+=-][\w./@%+=: -]*$/.test(command) && !command.endsWith(':');
}

/** Git's commands that show and do not change, as whole command lines: with arguments (`--output=FILE`) they would write. */
export const GIT_LOOKS: readonly string[] = ['git status', 'git diff', 'git log'];
