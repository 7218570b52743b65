import { race } from '../../src/fleet/folder-racer-fixtures.ts';

/** Arguments: the folder of the fleet, the racer's name, and the file in which it says what it has seen. */
const [folder = '', name = '', seen = ''] = process.argv.slice(2);
await race(folder, name, seen);
