import { useQueryClient } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { call } from '../../lib/client.ts'
import { notify } from '../../lib/notices.ts'
import { useAction } from '../../lib/use-action.ts'

/** Marks an event as remembered or removes the mark, then refreshes the hits. */
export function useRemember() {
  const queries = useQueryClient()
  return useAction({
    mutationFn: ({ uuid, on }: { uuid: string; on: boolean }) =>
      on ? call('memories.add', { uuid }) : call('memories.remove', { uuid }),
    onSuccess: async (_, { on }) => {
      notify(on ? 'Remembered: this hit now ranks first' : 'Forgotten')
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['recall.search'] }),
        queries.invalidateQueries({ queryKey: ['memories.list'] }),
      ])
    },
  })
}

/** Toggles whether a hit is remembered. */
export function MemoryButton({ uuid, on }: { uuid: string; on: boolean }) {
  const remember = useRemember()
  return (
    <Button
      look="ghost"
      size="icon"
      className="relative z-10"
      aria-pressed={on}
      aria-label="Remember this hit"
      title={on ? 'Forget this hit (m)' : 'Remember this hit, so that it ranks first (m)'}
      onClick={() => remember.mutate({ uuid, on: !on })}
    >
      <Bookmark className={`size-4 ${on ? 'fill-current text-accent' : ''}`} aria-hidden />
    </Button>
  )
}
