import { refuse } from '../../core/values/result.ts';
import type { ToolContext } from './tool.ts';

/** A context in which nothing can be read, written or published, unless something is said. For tests of what is around tools. */
export function makeContext(parts: Partial<ToolContext> = {}): ToolContext {
  const refuseAll = async () => refuse({ reason: 'there is no file in this test', advice: 'none' });
  return {
    jail: { workspace: '/nowhere', resolveRead: refuseAll, resolveWrite: refuseAll, toShown: (path) => path },
    session: { reads: new Map(), todos: [] },
    signal: new AbortController().signal,
    env: {},
    marker: '',
    spillDir: '/nowhere/spill',
    scratchpad: '/nowhere/scratchpad.md',
    quality: {},
    publishes: [],
    publish: async () => refuse({ reason: 'nothing can be published in this test', allowed: [] }),
    mayWrite: false,
    search: null,
    allowedPrivateHosts: [],
    ...parts,
  };
}
