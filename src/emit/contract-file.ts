import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sender } from '../core/events/event.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import type { Environment } from '../core/values/environment.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { compileTopology, type Topology } from '../topology/routing/compile-topology.ts';

/** Where an event goes, and who publishes it. */
export interface EventPlace {
  readonly eventsFile: string;
  readonly hat: string;
  /** `null` where it is not known. */
  readonly contractFile: string | null;
  /** The folder that holds the file, absolute, where the contract does not say it: no link between the two is followed. */
  readonly root?: string;
  /** The person who publishes; absent for an agent. */
  readonly sender?: Sender;
}

/** Where the environment of an agent's turn says that events go; `null` outside of a turn. */
export function findEventPlace(env: Environment): EventPlace | null {
  const { RALPH_EVENTS_FILE: eventsFile, RALPH_CONTRACT: contractFile, RALPH_HAT: hat } = env;
  if (eventsFile === undefined || eventsFile === '' || hat === undefined || hat === '') return null;
  return { eventsFile, hat, contractFile: contractFile ?? null };
}

/** What `ralph emit` needs of a run: who may publish what. It is no secret, so agents may read it. */
export interface Contract {
  readonly spec: RunSpec;
  /** Absolute: where the run works. No link below it is followed to the events file. */
  readonly workspace?: string;
}

/** Where the contract of a run is. */
export function toContractPath(runFolder: string): string {
  return join(runFolder, 'contract.json');
}

/** Writes the contract, at any moment the old or the new one. */
export function writeContract(runFolder: string, contract: Contract): void {
  const path = toContractPath(runFolder);
  writeFileSync(`${path}.new`, JSON.stringify(contract));
  renameSync(`${path}.new`, path);
}

/** Reads a contract; `null` when it is missing or no contract. */
export function readContract(path: string): Contract | null {
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    return isJsonObject(value) && isJsonObject(value['spec']) ? (value as unknown as Contract) : null;
  } catch {
    return null;
  }
}

/** The topology of a contract; `null` where it is not known. Never throws. */
export function readTopology(contractFile: string | null): Topology | null {
  const contract = contractFile === null ? null : readContract(contractFile);
  return contract === null ? null : compileTopology(contract.spec);
}
