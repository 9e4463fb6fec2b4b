/** Writes docs/data.md from the lists of files and addresses (`npm run write:data`). A test fails when it is stale. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADDRESSES, FILES, SEEN } from '../src/shared/data-inventory.ts'

/** Returns the text of docs/data.md. */
export function dataPage(): string {
  const files = FILES.map(({ names, content, isKey }) =>
    rowOf([names.map((name) => `\`${name}\``).join(', '), content, isKey === true ? 'yes' : '']),
  )
  const addresses = ADDRESSES.map(({ setting, named = '', sends, when }) =>
    rowOf([setting === null ? named : `\`${setting}\``, sends, when]),
  )
  return [
    '# What Aspy sees, stores and sends',
    '',
    'This page is made from the lists that tests hold against a running app: with its network fenced off, it reaches no',
    'other address, leaves no other file, and leaves no file that others can read. What is in a text after redaction, and',
    'how long it is kept, is in [privacy.md](privacy.md).',
    '',
    '## It sees',
    '',
    ...SEEN.map((line) => `- ${line}`),
    '',
    '## It sends',
    '',
    'An empty setting means that nothing is sent there.',
    '',
    '| to | what | when |',
    '|---|---|---|',
    ...addresses,
    '',
    '## It stores',
    '',
    'In the data folder, which has mode 0700; each file has mode 0600. An API key or path secret that others could read is',
    'replaced at the next start.',
    '',
    '| file | content | key |',
    '|---|---|---|',
    ...files,
    '',
  ].join('\n')
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replace(/ {2}\|$/, ' |')

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../docs/data.md'), dataPage())
