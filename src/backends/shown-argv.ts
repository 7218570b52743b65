import { findSecretArgs } from '../core/index.ts';

/** A command line for logs: the prompt and what looks like a secret are left out. */
export function toShownArgv(command: string, args: readonly string[], prompt: string): readonly string[] {
  const secrets = findSecretArgs(args);
  const shown = args.map((arg) => {
    if (prompt !== '' && arg === prompt) return '<prompt>';
    const secret = secrets.find(({ name, value }) => arg === value || arg === `${name}=${value}`);
    if (secret !== undefined) return arg === secret.value ? '<secret>' : `${secret.name}=<secret>`;
    return prompt.length > 20 && arg.endsWith(prompt) ? `${arg.slice(0, -prompt.length)}<prompt>` : arg;
  });
  return [command, ...shown];
}
