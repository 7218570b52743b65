import { join } from 'node:path';
import { mayWork } from '../capabilities.ts';
import { GIT_LOOKS } from '../plain-command.ts';
import type { CliScope, ScopeOrder } from '../scope-plan.ts';
import { listed, valued, withoutFlags } from '../without-flags.ts';

const LIFTING = [listed('--tools'), valued('-e', '--extension')];
const GUARD = 'pi-guard.mjs';
const ALLOWED = 'RALPH_PI_COMMANDS';

/** An extension of pi that lets only whole command lines of a list through; anything it cannot read it blocks. */
const GUARD_TEXT = `// Lets only listed command lines run. Written by Ralph for one turn.
const allowed = new Set(JSON.parse(process.env.${ALLOWED} ?? '[]'));
export default (pi) => {
  pi.on('tool_call', (event) => {
    if (event.toolName !== 'bash') return undefined;
    const command = typeof event.input?.command === 'string' ? event.input.command.trim() : '';
    if (allowed.has(command)) return undefined;
    return { block: true, reason: 'This hat may run only: ' + [...allowed].join(', ') };
  });
};
`;

/** pi: a list of tools; it has no permissions, so its shell is guarded by an extension. */
export function scopePi(order: ScopeOrder): CliScope {
  const { may, attach } = order;
  if (mayWork(may)) return { ...toExtra(order), args: [...order.args, ...(attach?.args ?? [])], permissions: order.permissions };
  const commands = toCommands(order);
  const isGuarded = !may.mayRunShell && commands.length > 0;
  const tools = [
    ...(may.mayRead ? ['read', 'grep', 'find', 'ls'] : []),
    ...(may.mayWrite ? ['edit', 'write'] : []),
    ...(may.mayRunShell || isGuarded ? ['bash'] : []),
    ...(attach?.allow ?? []),
  ];
  const extra = toExtra(order);
  return {
    args: [
      ...withoutFlags(order.args, LIFTING),
      '--no-extensions',
      ...(isGuarded ? ['-e', join(order.folder, GUARD)] : []),
      ...(attach?.args ?? []),
      ...(tools.length === 0 ? ['--no-tools'] : ['--tools', tools.join(',')]),
    ],
    env: { ...extra.env, ...(isGuarded ? { [ALLOWED]: JSON.stringify(commands) } : {}) },
    files: [...extra.files, ...(isGuarded ? [{ path: GUARD, content: GUARD_TEXT }] : [])],
    permissions: 'default',
    limits: may.mayWeb ? ['pi has no web tools.'] : [],
  };
}

function toExtra({ attach }: ScopeOrder): Required<Pick<CliScope, 'env' | 'files'>> {
  return { env: attach?.env ?? {}, files: attach?.files ?? [] };
}

function toCommands({ may, qualityCommands, isConfined }: ScopeOrder): readonly string[] {
  const own = may.mayRunQuality ? qualityCommands : [];
  return [...own, ...(may.mayGitRead && (isConfined || own.length > 0) ? GIT_LOOKS : [])];
}
