import { openTogether, race, writeTooMuch } from '../../src/fleet/folder-racer-fixtures.ts';

/**
 * Arguments: the folder of the fleet, the racer's name, and the file in which it says what it has seen; without a name it opens the fleet, and leaves it;
 * named `full` it says what was refused of what it writes.
 */
const [folder = '', name = '', seen = ''] = process.argv.slice(2);
if (name === 'full') process.stdout.write(JSON.stringify(await writeTooMuch(folder)));
else await (name === '' ? openTogether(folder) : race(folder, name, seen));
