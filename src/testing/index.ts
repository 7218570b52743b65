/** The version of the scenario harness: that of the package it came with. */
export const version: string = RALPH_VERSION;
