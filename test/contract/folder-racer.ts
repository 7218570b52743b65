import { openTogether, race } from '../../src/fleet/folder-racer-fixtures.ts';

/** Arguments: the folder of the fleet, the racer's name, and the file in which it says what it has seen; without a name it opens the fleet, and leaves it. */
const [folder = '', name = '', seen = ''] = process.argv.slice(2);
await (name === '' ? openTogether(folder) : race(folder, name, seen));
