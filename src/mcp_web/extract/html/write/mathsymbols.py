"""Mathematical symbols and their TeX commands."""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    """The TeX command of each symbol, from pairs of a symbol and the name of its command, separated by white space."""
    words = text.split()
    return {sign: "\\" + name for sign, name in zip(words[::2], words[1::2], strict=True)}


SYMBOLS = _table("""
    α alpha β beta γ gamma δ delta ϵ epsilon ε varepsilon ζ zeta η eta θ theta ϑ vartheta ι iota κ kappa λ lambda μ mu
    ν nu ξ xi π pi ϖ varpi ρ rho ϱ varrho σ sigma ς varsigma τ tau υ upsilon ϕ phi φ varphi χ chi ψ psi ω omega
    Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
    ± pm ∓ mp × times ÷ div ⋅ cdot · cdot ∘ circ ∙ bullet ∗ ast ⋆ star ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot
    ≤ leq ≥ geq ≠ neq ≡ equiv ≈ approx ≅ cong ∼ sim ≃ simeq ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ ⪯ preceq ⪰ succeq
    ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ∈ in ∉ notin ∋ ni ∪ cup ∩ cap ∖ setminus ∅ emptyset ∧ wedge ∨ vee ¬ neg
    ∀ forall ∃ exists ∄ nexists ∂ partial ∇ nabla ∞ infty ℵ aleph ℏ hbar ℓ ell ℘ wp ℜ Re ℑ Im ∠ angle ⊥ perp ∥ parallel
    ∣ mid ∤ nmid ⊢ vdash ⊨ models ⊤ top □ square ◻ square △ triangle ▽ triangledown ⋄ diamond † dagger ‡ ddagger
    ← leftarrow → rightarrow ↔ leftrightarrow ⇐ Leftarrow ⇒ Rightarrow ⇔ Leftrightarrow ↦ mapsto ↑ uparrow ↓ downarrow
    ⟶ longrightarrow ⟵ longleftarrow ⟹ Longrightarrow ⟺ iff ↪ hookrightarrow ⇌ rightleftharpoons ↗ nearrow ↘ searrow
    ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⨁ bigoplus ⨂ bigotimes ⋁ bigvee ⋀ bigwedge
    … ldots ⋯ cdots ⋮ vdots ⋱ ddots ⟨ langle ⟩ rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ‖ | { { } } % % # # & & $ $
    √ surd ′ prime ″ prime\\prime ≜ triangleq ≐ doteq ∴ therefore ∵ because ℝ mathbb{R} ℕ mathbb{N} ℤ mathbb{Z}
    ℚ mathbb{Q} ℂ mathbb{C} ℙ mathbb{P} 𝔼 mathbb{E} ⊎ uplus ⋉ ltimes ⋊ rtimes ≀ wr ∎ blacksquare
""")
SYMBOLS |= {"−": "-", "\u2062": "", "\u2061": "", "\u2063": "", "\u2064": "", "\xa0": " ", "\u2009": " ", "\u200b": ""}
SYMBOLS |= {"∶": ":", "⁡": "", "∕": "/", "～": "\\sim", "〈": "\\langle", "〉": "\\rangle", "⟂": "\\perp"}

FUNCTIONS = frozenset(
    (
        "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth", "log",
        "ln", "exp", "lim", "limsup", "liminf", "max", "min", "sup", "inf", "det", "dim", "ker", "deg", "gcd", "arg",
        "hom", "Pr", "lg",
    )
)  # fmt: skip
LIMITS = frozenset(
    "\\" + name
    for name in (
        "sum", "prod", "coprod", "int", "iint", "iiint", "oint", "bigcup", "bigcap", "bigoplus", "bigotimes", "bigvee",
        "bigwedge", "lim", "limsup", "liminf", "max", "min", "sup", "inf", "det", "gcd", "Pr",
    )
)  # fmt: skip
ACCENTS = {
    "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "\\sim": "tilde", "¯": "bar", "‾": "overline",
    "\\_": "overline", "\\rightarrow": "vec", "→": "vec", "˙": "dot", ".": "dot", "¨": "ddot", "..": "ddot",
    "ˇ": "check", "˘": "breve",
    "⏞": "overbrace", "`": "grave", "´": "acute", "\\leftarrow": "overleftarrow",
}  # fmt: skip
VARIANTS = {
    "bold": "mathbf", "bold-italic": "boldsymbol", "double-struck": "mathbb", "script": "mathcal",
    "fraktur": "mathfrak", "sans-serif": "mathsf", "monospace": "mathtt", "bold-script": "mathcal",
    "bold-fraktur": "mathfrak",
}  # fmt: skip
