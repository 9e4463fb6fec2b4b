import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileHistoryTable, fileTreeTable } from '../../../shared/columns/file-history.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationInput } from '../../../shared/contract/index.ts'
import { noText } from '../../files/no-text.ts'
import type { Client } from '../client.ts'
import { forOutput } from '../print-all.ts'
import { counted, table } from '../table.ts'
import type { Printed } from './reading-command.ts'

/** `aspy file history PATH`: what recorded calls did to a file. */
export async function fileHistory(client: Client, input: OperationInput<'files.history'>): Promise<Printed> {
  const found = await client.call('files.history', { ...input, path: resolve(input.path) })
  if (found.items.length === 0 && !found.partial && !existsSync(found.path))
    throw new AspyError('not_found', `there is no file ${found.path}, and nothing recorded touched it`)
  const text =
    found.items.length === 0 ? `Nothing recorded touched ${found.path}.` : table(found.items, fileHistoryTable, {})
  return {
    json: found,
    text,
    ...(found.partial
      ? {
          aside:
            'Not all calls were read: there are more than the newest, or the record is being prepared after an update.',
        }
      : {}),
  }
}

/** `aspy file show PATH`: the file after an event; what is not known of it is said beside the text. */
export async function fileShow(
  client: Client,
  input: OperationInput<'files.at'>,
  { at }: { readonly at?: string | undefined },
  asJson: boolean,
): Promise<Printed> {
  const found = await client.call('files.at', { ...input, path: resolve(input.path), uuid: at })
  const { state, lines, holes, doubted_since: since } = found
  const missing = holes.length === 0 ? [] : [`Not recorded: ${counted(holes.length, 'line')} (${ranges(holes)}).`]
  const doubt = since === null ? [] : [`It may be different since event ${since}.`]
  const rest = state === 'known' && !found.is_whole ? ['It may have more lines.'] : []
  const aside = [
    ...missing,
    ...doubt,
    ...rest,
    ...(state === 'absent' ? ['The file was deleted: these were its lines.'] : []),
  ]
  // The output may go to a file, so a sentence in it would pass for its text.
  if (lines.length === 0 && !asJson) throw noText(await client.call('files.history', { path: found.path }), input.path)
  const text = lines.map((line) => line.text ?? '…').join(found.line_ending === 'crlf' ? '\r\n' : '\n')
  return {
    json: found,
    text: forOutput(text),
    isExact: !process.stdout.isTTY,
    ...(aside.length === 0 ? {} : { aside: aside.join('\n') }),
  }
}

/** `aspy file tree SESSION`: the files that a session changed, or its changes as a patch; what is left out is said beside. */
export async function fileTree(
  client: Client,
  input: OperationInput<'files.tree'>,
  { at }: { readonly at?: string | undefined },
  asJson: boolean,
): Promise<Printed> {
  const found = await client.call('files.tree', { ...input, uuid: at })
  const { items, partial, folder } = found
  const left = items.filter(({ patch }) => patch === null)
  const doubted = items.filter(({ patch, doubted_since: since }) => patch !== null && patch !== '' && since !== null)
  const named = (sentence: string, of: typeof items) =>
    of.length === 0 ? [] : [`${sentence} ${of.map(({ path }) => path).join(', ')}.`]
  const asides = input.patch
    ? [
        ...(folder === null ? [] : [`To be applied in ${folder}.`]),
        ...named('Left out, since a text before or after is not known, or is of another folder:', left),
        ...named('A call may have changed them since:', doubted),
      ]
    : []
  if (partial) asides.push('There may be more files: not all calls were read.')
  const aside = asides.length === 0 ? {} : { aside: asides.join('\n') }
  const rows = items.length === 0 ? 'Nothing recorded changed a file.' : table(items, fileTreeTable, {})
  if (!input.patch) return { json: found, text: rows, ...aside }
  const text = items.map(({ patch }) => patch ?? '').join('')
  if (text === '' && !asJson)
    throw new AspyError(
      'not_found',
      ['the record has no change of the session that git could apply', ...asides].join('. '),
    )
  return { json: found, text: forOutput(text), isExact: true, ...aside }
}

/** Writes numbers as ranges: `1–3, 7`. */
export function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found.map(([from, until]) => (from === until ? `${from}` : `${from}–${until}`)).join(', ')
}
