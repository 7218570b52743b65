import type { Settings } from '../config/index.ts';

/**
 * The folders of Ralph's own in a workspace (`.ralph`, `.agent`): never committed, no part of what an agent changed.
 */
export function toStateDirs(settings: Pick<Settings, 'stateDir' | 'prompts'>): readonly string[] {
  const { eventsFile, workspaceDir, scratchpad } = settings.prompts;
  const agentDirs = [eventsFile, workspaceDir, scratchpad]
    .map((path) => path.replace(/^\.\//, ''))
    .flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []));
  return [...new Set([settings.stateDir, ...agentDirs])].filter((name) => name.startsWith('.') && name !== '.' && name !== '..');
}
