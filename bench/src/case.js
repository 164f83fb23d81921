/**
 * What a case is given. It yields figures as it has them.
 * @typedef {object} CaseContext
 * @property {import('./world.js').World} world
 * @property {string} library directory of the built library
 * @property {string} root directory of the devflow repository
 * @property {boolean} quick a smoke run: every line is reached, the figures mean little
 * @property {(usual: number) => number} rounds how many rounds to take instead of the usual number
 *
 * @typedef {(context: CaseContext) => AsyncGenerator<import('./figure.js').Figure, void>} MeasureCase
 */
export {};
