"""torch-kata: practise and grade hand-written Transformer parts. Import what you need from the submodules."""
