import { runEngine } from '../programs/engine.ts'
import { startDbos } from './start-dbos.ts'

runEngine(startDbos('queue'))
