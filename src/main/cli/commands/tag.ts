import { withTypedHere } from '../../base/folder-of-run.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Client } from '../client.ts'
import type { JsonFlag } from '../flags.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { counted, plain, table } from '../table.ts'
import { withApp } from '../with-app.ts'
import { print } from '../print-all.ts'

interface TagFlags extends JsonFlag {
  readonly remove?: readonly string[]
}

/** `aspy tag`: adds tags to a session or removes them, and prints its tags; without a session, all tags. */
export async function tag(
  settings: RunSettings,
  id: string | undefined,
  tags: readonly string[],
  { remove = [], json }: TagFlags,
): Promise<void> {
  await withApp(settings, async (client) => {
    const { answer, text } = id === undefined ? await allTags(client) : await change(client, id, tags, remove)
    print({ json: answer, text: text }, json)
  })
}

async function allTags(client: Client) {
  const answer = await client.call('sessions.tags', {})
  const rows = table(answer.items, {
    columns: { tag: { name: 'Tag' }, sessions: { name: 'Sessions', format: 'exact' } },
  })
  return {
    answer,
    text: answer.items.length === 0 ? withTypedHere('No tags yet. Add one: aspy tag <session> <tag>') : rows,
  }
}

async function change(client: Client, named: string, tags: readonly string[], remove: readonly string[]) {
  if (tags.length + remove.length === 0) throw new AspyError('bad_input', 'name at least one tag to add or remove')
  const { id: session_id, own_tags: before } = await client.call('sessions.get', { session_id: named })
  const unknown = remove.find((each) => !before.includes(each))
  if (unknown !== undefined)
    throw new AspyError('bad_input', `the session has no tag ${unknown}; it has ${before.join(', ') || 'none'}`)
  await client.call('sessions.label', { session_id, add_tags: [...tags], remove_tags: [...remove] })
  const { own_tags } = await client.call('sessions.get', { session_id })
  const names = own_tags.map(plain).join(', ')
  return {
    answer: { session_id, own_tags },
    text: own_tags.length === 0 ? 'The session has no tags.' : `${counted(own_tags.length, 'tag')}: ${names}`,
  }
}
