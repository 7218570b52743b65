import { basename, isAbsolute } from 'node:path';
import { type BackendType, isAgentCli } from '../core/index.ts';

/**
 * Whose login and settings a turn's home needs. A CLI that is worn by its command (`acp`, `custom`) keeps them where it always does. What lies in the
 * project by a relative path is no such CLI, whatever its name is.
 */
export function toHomeOwner(cli: BackendType, command: string | undefined): BackendType {
  if ((cli !== 'acp' && cli !== 'custom') || command === undefined) return cli;
  if (command.includes('/') && !isAbsolute(command)) return cli;
  const name = basename(command)
    .replace(/\.(?:js|mjs|exe|cmd)$/, '')
    .replace(/(?:-code|-agent|-cli)?-acp$/, '');
  return isAgentCli(name) ? name : cli;
}
