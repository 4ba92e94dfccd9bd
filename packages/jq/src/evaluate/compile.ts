import type { Node } from "../ast.ts";
import { pathOfResult } from "../paths.ts";
import type { Each, Filter, One, Paths, Position, Recipe } from "./filter.ts";
import { identityForm, indexForm, iterateForm, recurseForm, sliceForm } from "./forms/access.ts";
import { assignForm, updateForm, updateWithForm } from "./forms/assign.ts";
import { bindForm, foreachForm, reduceForm } from "./forms/bind.ts";
import { arrayForm, formatForm, literalForm, objectForm, stringForm, variableForm } from "./forms/construct.ts";
import { breakForm, commaForm, ifForm, labelForm, pipeForm, tryForm } from "./forms/control.ts";
import { callForm, defineForm } from "./forms/functions.ts";
import { alternativeForm, arithmeticForm, comparisonForm, logicForm, negateForm } from "./forms/operators.ts";
import type { Scope } from "./scope.ts";
import { isSingle } from "./single.ts";

/** Turns a checked program into functions. Names are taken to be defined: check-names.ts has seen to that. */
export function compile(node: Node, scope: Scope): Filter {
  return new LazyFilter(isSingle(node, scope), () => recipeFor(node, scope));
}

function recipeFor(node: Node, scope: Scope): Recipe {
  switch (node.kind) {
    case "identity":
      return identityForm;
    case "recurse":
      return recurseForm;
    case "literal":
      return literalForm(node);
    case "string":
      return stringForm(node, scope, compile);
    case "format":
      return formatForm(node);
    case "index":
      return indexForm(node, scope, compile);
    case "slice":
      return sliceForm(node, scope, compile);
    case "iterate":
      return iterateForm(node, scope, compile);
    case "try":
      return tryForm(node, scope, compile);
    case "negate":
      return negateForm(node, scope, compile);
    case "pipe":
      return pipeForm(node, scope, compile);
    case "comma":
      return commaForm(node, scope, compile);
    case "arithmetic":
      return arithmeticForm(node, scope, compile);
    case "comparison":
      return comparisonForm(node, scope, compile);
    case "and":
    case "or":
      return logicForm(node, scope, compile);
    case "alternative":
      return alternativeForm(node, scope, compile);
    case "assign":
      return assignForm(node, scope, compile);
    case "update":
      return updateForm(node, scope, compile);
    case "updateWith":
      return updateWithForm(node, scope, compile);
    case "if":
      return ifForm(node, scope, compile);
    case "reduce":
      return reduceForm(node, scope, compile);
    case "foreach":
      return foreachForm(node, scope, compile);
    case "bind":
      return bindForm(node, scope, compile);
    case "define":
      return defineForm(node, scope, compile);
    case "call":
      return callForm(node, scope, compile);
    case "variable":
      return variableForm(node, scope);
    case "label":
      return labelForm(node, scope, compile);
    case "break":
      return breakForm(node, scope);
    case "array":
      return arrayForm(node, scope, compile);
    case "object":
      return objectForm(node, scope, compile);
  }
}

/** Fills in what a recipe leaves out, and makes each part once, when it is first wanted. */
class LazyFilter implements Filter {
  readonly isSingle: boolean;
  readonly #makeRecipe: () => Recipe;
  #recipe: Recipe | undefined;
  #one: One | undefined;
  #oneTail: One | undefined;
  #each: Each | undefined;
  #eachTail: Each | undefined;
  #paths: Paths | undefined;

  constructor(isSingle: boolean, makeRecipe: () => Recipe) {
    this.isSingle = isSingle;
    this.#makeRecipe = makeRecipe;
  }

  get one(): One {
    this.#one ??= this.#makeOne("inner");
    return this.#one;
  }

  get oneTail(): One {
    this.#oneTail ??= this.#makeOne("last");
    return this.#oneTail;
  }

  get each(): Each {
    this.#each ??= this.#makeEach("inner");
    return this.#each;
  }

  get eachTail(): Each {
    this.#eachTail ??= this.#makeEach("last");
    return this.#eachTail;
  }

  get paths(): Paths {
    this.#paths ??= this.#getRecipe().paths?.() ?? this.#makePaths();
    return this.#paths;
  }

  #getRecipe(): Recipe {
    this.#recipe ??= this.#makeRecipe();
    return this.#recipe;
  }

  #makeOne(position: Position): One {
    const make = this.#getRecipe().one;
    if (make === undefined) throw new TypeError("Expected a filter with one output");
    return make(position);
  }

  #makeEach(position: Position): Each {
    if (this.isSingle) {
      const one = this.one;
      return (value, env, emit) => emit(one(value, env));
    }
    const make = this.#getRecipe().each;
    if (make === undefined) throw new TypeError("Expected a filter with many outputs");
    return make(position);
  }

  #makePaths(): Paths {
    const each = this.each;
    return (path, value, env, emit) => each(value, env, (result) => emit(pathOfResult(path, value, result), result));
  }
}
