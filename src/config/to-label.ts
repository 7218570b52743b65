import { type BackendSpec, toBackendLabel } from '../core/index.ts';

/** A backend's label for people and for the journal: `claude (opus)`, `custom:./agent.sh`; no folder of this machine in it. */
export function toLabel(backend: BackendSpec): string {
  const { command, ...rest } = backend;
  const label = toBackendLabel(command === undefined ? rest : { ...rest, command: toProgramName(command) });
  return backend.model === undefined ? label : `${label} (${backend.model})`;
}

function toProgramName(command: string): string {
  return /^[/~]/.test(command) ? command.slice(command.lastIndexOf('/') + 1) : command;
}
