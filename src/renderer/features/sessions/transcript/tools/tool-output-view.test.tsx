import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ToolOutput } from './tool-output-view.tsx'

test('an error is shown without the tags that its client wrote for the model', () => {
  const shown = (output: string) => renderToStaticMarkup(<ToolOutput output={output} isLeftOut={false} />)
  expect(shown('<tool_use_error>File does not exist.</tool_use_error>')).toContain('>File does not exist.<')
  expect(shown('grep: <tool_use_error> is in a.ts')).toContain('&lt;tool_use_error&gt; is in a.ts')
})
