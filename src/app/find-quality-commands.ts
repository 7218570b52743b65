import type { Settings } from '../config/index.ts';
import { detectQualityCommand, GATE_CHECKS, type ProjectFolder } from '../core/index.ts';

/** The command lines that check a project, without doubles: those of its gates, and what its files name. */
export function findQualityCommands({ spec }: Pick<Settings, 'spec'>, folder: ProjectFolder): readonly string[] {
  const gates = spec.gates.filter((gate) => gate.check === undefined && gate.run !== '').map((gate) => gate.run);
  const found = GATE_CHECKS.flatMap((kind) => detectQualityCommand(kind, folder)?.command ?? []);
  return [...new Set([...found, ...gates])];
}
