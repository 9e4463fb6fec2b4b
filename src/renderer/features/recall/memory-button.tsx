import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { call } from '../../lib/client.ts'
import { say } from '../../lib/notices.ts'

/** Marks an event to be remembered, or takes the mark away; says so, and ranks the hits anew. */
export function useRemember() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ uuid, on }: { uuid: string; on: boolean }) =>
      on ? call('memories.add', { uuid }) : call('memories.remove', { uuid }),
    onSuccess: async (_, { on }) => {
      say(on ? 'Remembered: it ranks first from now on' : 'Remembered no longer')
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['recall.search'] }),
        queries.invalidateQueries({ queryKey: ['memories.list'] }),
      ])
    },
    onError: (error) => say(error.message, 'warn'),
  })
}

/** The mark of a hit. */
export function MemoryButton({ uuid, on }: { uuid: string; on: boolean }) {
  const remember = useRemember()
  return (
    <Button
      look="ghost"
      size="icon"
      className="relative z-10"
      aria-pressed={on}
      aria-label="Remember this hit"
      title={on ? 'Remember it no longer (m)' : 'Remember: rank it first from now on (m)'}
      onClick={() => remember.mutate({ uuid, on: !on })}
    >
      <Bookmark className={`size-4 ${on ? 'fill-current text-accent' : ''}`} aria-hidden />
    </Button>
  )
}
