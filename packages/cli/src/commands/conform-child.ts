/** The process in which an adapter is asked: `devflow conform adapter` starts it, and outlives what it does there. */
import { answerApart } from '@devflow/core/testing';
import { adapterSubject } from '../adapters/subject.js';

const [name = '', cwd = '', file = '', options = ''] = process.argv.slice(2);
const { env } = process;
await answerApart(() => adapterSubject(name, { cwd, env }), env, file, options);
process.exit(0); // whatever the adapter has left open
