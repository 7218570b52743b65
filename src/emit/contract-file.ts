import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson, type RunSpec } from '../core/index.ts';

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
