import { type GateSpec, toGateName } from '../core/gates/gate-spec.ts';
import { namesNoFile } from './pin-files.ts';

/** What a person should know of gates whose globs name no file: they would count as passed for ever. One sentence for each. */
export async function toIdleGlobWarnings(gates: readonly GateSpec[], cwd: string): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const gate of gates) {
    if (await isIdle(cwd, gate.onlyIf)) warnings.push(describeOnlyIf(gate));
    if (await isIdle(cwd, gate.protect)) warnings.push(describeProtect(gate));
  }
  return warnings;
}

function isIdle(cwd: string, globs: readonly string[] | undefined): Promise<boolean> {
  return globs === undefined ? Promise.resolve(false) : namesNoFile(cwd, globs).catch(() => false);
}

function describeOnlyIf(gate: GateSpec): string {
  return `No file is named by the only_if of gate ${JSON.stringify(toGateName(gate))} (${toList(gate.onlyIf)}): it is skipped until there is one.`;
}

function describeProtect({ protect }: GateSpec): string {
  return `No file is named by protect (${toList(protect)}): nothing is protected but that such a file is added.`;
}

function toList(globs: readonly string[] = []): string {
  const shown = globs.slice(0, 5).map((glob) => JSON.stringify(glob.slice(0, 80)));
  return [...shown, ...(globs.length > 5 ? [`${globs.length - 5} more`] : [])].join(', ');
}
