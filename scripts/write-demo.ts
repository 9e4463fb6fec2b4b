/**
 * Writes resources/demo.jsonl.br, which `--demo` plays. Run it after changing the demo's story, in tests/support/demo.
 */
import { writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { demoFile } from '../src/main/demo/demo-file.ts'
import { demoText } from '../tests/support/demo/traffic/demo-lines.ts'

const text = demoText()
const packed = brotliCompressSync(text, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  },
})
writeFileSync(demoFile(), packed)
console.log(`${demoFile()}: ${text.length} characters, ${packed.length} bytes`)
