import { describeNotes, searchForNames } from '../../../shared/recall-notes.ts'
import type { Client } from '../client.ts'
import { plain } from '../table.ts'

/** What a person may have named that is not recorded. */
interface Named {
  readonly project?: string | undefined
  readonly client?: string | undefined
  readonly tag?: string | undefined
  readonly model?: string | undefined
  readonly tool?: string | undefined
}

/** Returns a sentence for each of these names that nothing recorded has, with those that there are; else undefined. */
export async function unknownNames(
  { call }: Pick<Client, 'call'>,
  { project, client, tag, model, tool }: Named,
): Promise<string | undefined> {
  // A search knows which projects and tools an argument selects.
  const isAsked = Boolean(project) || tool !== undefined
  const found = isAsked
    ? (await call('recall.search', searchForNames({ project: project || undefined, tool }))).notes?.unknown
    : []
  const { by_client = [], by_model = [] } = client || model ? await call('stats.summary', {}) : {}
  const [clients, models] = [by_client.map((one) => one.client), by_model.map((one) => one.model ?? '')]
  const tags = tag === undefined ? [] : (await call('sessions.tags', {})).items.map((one) => one.tag)
  const unknown = [
    ...(found ?? []),
    ...(client === undefined || clients.includes(client) ? [] : [{ name: 'client', value: client, exists: clients }]),
    ...(model === undefined || models.includes(model) ? [] : [{ name: 'model', value: model, exists: models }]),
    ...(tag === undefined || tags.includes(tag) ? [] : [{ name: 'tag', value: tag, exists: tags }]),
  ]
  return plain(describeNotes({ as_text: [], minus_words: [], unknown }).join(' ')) || undefined
}
