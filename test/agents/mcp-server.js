// A tool server on stdin and stdout whose one tool tells whether it was given a variable.
import { createInterface } from 'node:readline';

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) {
    const answer = { jsonrpc: '2.0', id, result: resultOf(method, params) };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

/**
 * @param {string} method
 * @param {{ protocolVersion?: string }} params
 */
function resultOf(method, params) {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 't', version: '1' },
    };
  }
  if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: {} };
    return { tools: [{ name: 'secret_length', description: 'Length', inputSchema }] };
  }
  const length = process.env['SECRET']?.length ?? 'not given';
  return { content: [{ type: 'text', text: `length ${length}, ${process.env['PLAIN']}` }] };
}
