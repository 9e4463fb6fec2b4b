import { readStore } from '../store/folder.ts'

/** A session as a person sees it after an import. */
export interface ImportedSession {
  readonly prompts: readonly string[]
  readonly tokens: number
}

/** Reads the prompts and all tokens of each session in a store. */
export const importedSessions = (dbPath: string): Readonly<Record<string, ImportedSession>> =>
  readStore(dbPath, (db) => {
    const sessions = db
      .prepare<[], { id: string; tokens: number }>('SELECT id, total_tokens AS tokens FROM sessions ORDER BY id')
      .all()
    const prompts = db
      .prepare<[string], string>('SELECT content FROM user_prompts WHERE session_id = ? ORDER BY prompt_number')
      .pluck()
    return Object.fromEntries(sessions.map(({ id, tokens }) => [id, { prompts: prompts.all(id), tokens }]))
  })
