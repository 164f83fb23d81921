/** What a command needs to go on without the terminal that it was given on. */
export { startBackground, starterOf, type Background, type Starter } from './process/background.js';
export { moveHolderLog, openHolderLog } from './state/holder-log.js';
