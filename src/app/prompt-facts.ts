import { join } from 'node:path';
import type { Settings } from '../config/index.ts';
import { BUILT_IN_CARDS, resolveProfile } from '../core/index.ts';
import { createSharedFileSystem } from '../journal/index.ts';
import type { PromptSettings, PromptTurn } from '../prompts/index.ts';
import { mayChangeTree, toCapabilities } from '../sandbox/index.ts';

/** Of a longer scratchpad only so many bytes are read: its end. */
const MAX_READ_BYTES = 65_536;

/** What prompts mention of the configuration, with what the run itself decides: whether agents commit. */
export function toPromptSettings(settings: Pick<Settings, 'prompts' | 'agentCommits'>, isOwnBranch: boolean): PromptSettings {
  const { agentCommits, prompts } = settings;
  const agentsCommit = agentCommits === undefined || (agentCommits === 'own_branch' && isOwnBranch);
  return agentsCommit ? prompts : { ...prompts, agentsCommit };
}

/** What the wearer of a hat may do to the workspace, by its profile; nothing is said where none holds it back. */
export function toAbilities(
  { policies }: Pick<Settings, 'policies'>,
  hat: string,
  isNative: boolean,
): Pick<PromptTurn, 'mayWrite' | 'mayRun' | 'mayCommit'> {
  const policy = (Object.hasOwn(policies, hat) ? policies[hat] : null) ?? null;
  if (policy === null && !isNative) return {};
  const may = toCapabilities(resolveProfile(policy, BUILT_IN_CARDS));
  return { mayWrite: mayChangeTree(may), mayRun: may.mayRunShell, mayCommit: may.mayRunShell || may.mayGitWrite };
}

/** The scratchpad, of a long one the end. `null` where it is not there, not a plain file, or behind a link: agents may put anything in its place. */
export function readScratchpad(workspace: string, path: string): NonNullable<PromptTurn['scratchpad']> | null {
  const fs = createSharedFileSystem(workspace);
  try {
    const handle = fs.open(join(workspace, path), 'read');
    try {
      const sizeBytes = fs.stat(join(workspace, path))?.sizeBytes ?? 0;
      const start = Math.max(0, sizeBytes - MAX_READ_BYTES);
      const bytes = new Uint8Array(Math.min(sizeBytes, MAX_READ_BYTES));
      const count = fs.read(handle, bytes, start);
      return { text: new TextDecoder().decode(bytes.subarray(0, count)), isWhole: start === 0 };
    } finally {
      fs.close(handle);
    }
  } catch {
    return null;
  }
}
