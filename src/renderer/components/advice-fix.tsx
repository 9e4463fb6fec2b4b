import type { Advice } from '../../shared/contract/advice.ts'
import { ScrollRegion } from './scroll-region.tsx'

/** The steps of a fix, and the changes of files that it makes. */
export function AdviceFix({ fix }: { readonly fix: NonNullable<Advice['fix']> }) {
  return (
    <>
      <ul className="mt-1 list-disc pl-5">
        {fix.steps.map((step) => (
          <li key={step} className="break-words">
            {step}
          </li>
        ))}
      </ul>
      {fix.files.map(({ path, diff }) => (
        <ScrollRegion key={path} label={`Change of ${path}`} className="mt-2">
          <pre className="text-meta wrap-anywhere whitespace-pre-wrap">{diff}</pre>
        </ScrollRegion>
      ))}
    </>
  )
}
