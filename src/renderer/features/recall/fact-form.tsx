import { useQueryClient } from '@tanstack/react-query'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { Button } from '../../components/button.tsx'
import { call } from '../../lib/client.ts'
import { useAction } from '../../lib/use-action.ts'

type Memory = OperationOutput<'memories.list'>['items'][number]

const FIELD = 'rounded-small border border-line-strong bg-transparent px-2 py-1 text-small'
const CATEGORIES = ['preference', 'decision', 'warning', 'fact']

/** Writes a fact about a remembered event: in your words, with a category and a confidence. */
export function FactForm({ memory, onDone }: { memory: Memory; onDone: () => void }) {
  const queries = useQueryClient()
  const save = useAction({
    mutationFn: (form: FormData) => {
      const textOf = (name: string) => String(form.get(name) ?? '').trim()
      return call('memories.add', {
        uuid: memory.uuid,
        fact: textOf('fact'),
        confidence: Number(textOf('confidence')) / 100,
        category: textOf('category') || undefined,
      })
    },
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('memories.') })
    },
  })
  return (
    <form
      aria-label="Fact"
      className="mb-1 ml-4 flex flex-wrap items-center gap-2 border-l py-1 pl-3"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(new FormData(event.currentTarget))
      }}
    >
      <input
        name="fact"
        aria-label="Fact in your words"
        placeholder="Fact in your words"
        required
        maxLength={2000}
        defaultValue={memory.fact}
        className={`${FIELD} min-w-0 flex-1 basis-60`}
      />
      <input
        name="category"
        aria-label="Category"
        placeholder="Category"
        list="fact-categories"
        maxLength={60}
        defaultValue={memory.category}
        className={`${FIELD} w-32`}
      />
      <datalist id="fact-categories">
        {CATEGORIES.map((category) => (
          <option key={category} value={category}>
            {category}
          </option>
        ))}
      </datalist>
      <span className="flex items-center gap-1 text-meta">
        <input
          name="confidence"
          type="number"
          aria-label="Confidence in percent"
          min={0}
          max={100}
          required
          defaultValue={Math.round(memory.confidence * 100)}
          className={`${FIELD} w-16`}
        />
        % sure
      </span>
      <Button size="small" type="submit">
        Save
      </Button>
    </form>
  )
}
