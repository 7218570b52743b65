/** The variable by which every process of a turn can be found again: children inherit it. */
export const markerVariable = 'RALPH_TURN';
