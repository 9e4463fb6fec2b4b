import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { foundWords } from '../../../lib/find-words.ts'
import { findQuery } from '../queries.ts'

/** Returns the words to mark for a search in a session. */
export function useFoundWords(sessionId: string, find: string | undefined): readonly string[] {
  const asked = find?.trim() ?? ''
  const { data } = useQuery(findQuery(sessionId, asked))
  return useMemo(
    () => (asked === '' || !data ? [] : foundWords(data.hits.map(({ content }) => content))),
    [asked, data],
  )
}
